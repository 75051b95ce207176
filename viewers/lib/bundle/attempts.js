// Which rows of the compile table are attempts of one compile of one function.

/** The same for all attempts of one frame compile. @param {{metrics_event_index: number | null, compiled_autograd_id: number | null, frame_id: number | null, frame_compile_id: number | null, occurrence: number}} compile */
export function frameKey(compile) {
  if (compile.metrics_event_index !== null) return `metrics ${compile.metrics_event_index}`;
  return `${compile.compiled_autograd_id}/${compile.frame_id}/${compile.frame_compile_id}@${compile.occurrence}`;
}
