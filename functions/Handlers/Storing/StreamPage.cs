namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>Some events of a stream, in the order of their numbers.</summary>
/// <param name="DatabaseId">Of the database that was read.</param>
/// <param name="Events">The events.</param>
/// <param name="IsEnd">There were no more when this was read.</param>
public sealed record StreamPage(string DatabaseId, IReadOnlyList<SourceEvent> Events, bool IsEnd);
