// Decodes zstd away from the page's thread.
// @ts-ignore: the package build adds it
import * as decoder from "../vendor/fzstd.js";
import { unzstd } from "./unzstd.js";
import { answerJobs } from "./worker-jobs.js";

answerJobs(({ bytes, most }) => unzstd(/** @type {any} */ (decoder), bytes, most));
