"""The texts that a compile leaves, by the stage of the compiler that wrote them."""

from __future__ import annotations

from tlparse_bundle.ranks.frames import Frames
from tlparse_bundle.read.rows import Artifact

# Names of artifacts by stage; after_post_grad_graph is that of older torch, which has no inductor_post_grad_graph.
STAGES = {
    "dynamo": ("dynamo_output_graph", "compiled_autograd_graph"),
    "joint": ("aot_joint_graph",),
    "forward": ("aot_forward_graph",),
    "backward": ("aot_backward_graph",),
    "inference": ("aot_inference_graph",),
    "post_grad": ("inductor_post_grad_graph", "after_post_grad_graph"),
    "code": ("inductor_output_code",),
}
_STAGE_OF = {name: stage for stage, names in STAGES.items() for name in names}


def stage_artifacts(frames: Frames, number: int) -> dict[str, list[Artifact]]:
    """Artifacts of a frame by stage, in order."""
    found: dict[str, list[Artifact]] = {stage: [] for stage in STAGES}
    for artifact in frames.artifacts(number):
        stage = _STAGE_OF.get(artifact.name)
        if stage is not None:
            found[stage].append(artifact)
    newer = [artifact for artifact in found["post_grad"] if artifact.name == "inductor_post_grad_graph"]
    return {**found, "post_grad": newer or found["post_grad"]}
