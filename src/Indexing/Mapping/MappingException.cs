namespace Jackdaw.Indexing.Mapping;

/// <summary>A document that its index cannot map; the message says why. It is recorded, and the index goes on without the
/// document.</summary>
internal sealed class MappingException(string message, Exception? inner = null) : Exception(message, inner);
