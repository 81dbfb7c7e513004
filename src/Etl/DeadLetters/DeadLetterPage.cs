namespace Jackdaw.Etl.DeadLetters;

/// <summary>Dead letters as they are shown.</summary>
/// <param name="Letters">Id of the document, and the document without metadata: a JSON object in UTF-8. In the order of writing.</param>
/// <param name="HasMore">There are further ones.</param>
public sealed record DeadLetterPage(IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> Letters, bool HasMore);
