namespace Jackdaw.Documents.EventStreams;

/// <summary>A place in an append, for errors. It becomes a text only when there is one.</summary>
/// <param name="Group">Index of the group.</param>
/// <param name="Event">Index of the event in the group; null: the group itself.</param>
/// <param name="Member">A member there; null: the group or event as a whole.</param>
/// <param name="Item">Index in the member; null: the member as a whole.</param>
internal readonly record struct AppendPlace(int Group, int? Event = null, string? Member = null, int? Item = null)
{
    public override string ToString() =>
        $"groups[{Group}]"
        + (Event is { } index ? $".events[{index}]" : "")
        + (Member is null ? "" : "." + Member)
        + (Item is { } item ? $"[{item}]" : "");
}
