// Decodes zstd away from the page's thread.
// @ts-ignore: put in place by the package build
import { decompress } from "../vendor/fzstd.js";
import { answerJobs } from "./worker-jobs.js";

answerJobs(({ bytes }) => /** @type {any} */ (decompress)(bytes));
