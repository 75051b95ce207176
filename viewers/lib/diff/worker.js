// Compares two texts away from the page's thread.
import { answerJobs } from "../bundle/worker-jobs.js";
import { equalRuns } from "./diff.js";

answerJobs(({ left, right }) => equalRuns(left.split("\n"), right.split("\n")));
