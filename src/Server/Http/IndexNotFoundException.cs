namespace Jackdaw.Server.Http;

/// <summary>A request names an index that the database does not have.</summary>
public sealed class IndexNotFoundException : Exception
{
    /// <summary>Creates the error.</summary>
    public IndexNotFoundException(string index, string database)
        : base($"There is no index '{index}' in the database '{database}'.") { }
}
