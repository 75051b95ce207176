// Compares two texts in a worker.
import { answerJobs } from "../bundle/worker-jobs.js";
import { meaningOf } from "./by-meaning.js";
import { equalRuns } from "./diff.js";

answerJobs(({ left, right, language, sameProcess }) =>
  language
    ? meaningOf({ left, right, language, sameProcess })
    : equalRuns(left.split("\n"), right.split("\n")),
);
