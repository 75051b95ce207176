// Compares two texts away from the page's thread.
import { equalRuns } from "./diff.js";
import { answerJobs } from "./worker-jobs.js";

answerJobs(({ left, right }) => equalRuns(left.split("\n"), right.split("\n")));
