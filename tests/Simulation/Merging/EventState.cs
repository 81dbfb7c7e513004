using System.Collections.Immutable;

namespace Jackdaw.Simulation.Merging;

/// <summary>A stored event as the model knows it.</summary>
internal sealed record EventState(
    string Stream,
    long Number,
    long Position,
    string Writer,
    long Ticks,
    string Payload,
    bool IsJson,
    int Serializer,
    string Manifest,
    string AdapterManifest,
    ImmutableSortedSet<string> Tags
)
{
    /// <summary>Is it what an append sends under its number?</summary>
    public bool IsRepeatedBy(ModelGroup group, ModelEvent sent) =>
        Writer == group.Writer
        && (sent.Ticks is null || sent.Ticks == Ticks)
        && Payload == sent.Payload
        && IsJson == sent.IsJson
        && Serializer == sent.Serializer
        && Manifest == sent.Manifest
        && AdapterManifest == sent.AdapterManifest
        && Tags.SetEquals(sent.Tags);

    public bool IsLike(EventState other) => other with { Tags = Tags } == this && Tags.SetEquals(other.Tags);
}
