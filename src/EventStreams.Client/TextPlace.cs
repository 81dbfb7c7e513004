namespace Jackdaw.EventStreams.Client;

/// <summary>What a text is, for errors. It becomes a text itself only when there is one.</summary>
/// <param name="What">E.g. "The manifest".</param>
/// <param name="Stream">Of the event that has it; null: it belongs to no event.</param>
/// <param name="Number">Of the event.</param>
internal readonly record struct TextPlace(string What, string? Stream = null, long Number = 0)
{
    public static implicit operator TextPlace(string what) => new(what);

    public override string ToString() => Stream is null ? What : $"{What} of event {Number} of stream '{Stream}'";
}
