namespace Jackdaw.Search;

/// <summary>An index of another format version, or something else that is no index of this version. It can only be built again.</summary>
public sealed class SearchFormatException(string message) : Exception(message);
