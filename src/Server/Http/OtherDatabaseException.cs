namespace Jackdaw.Server.Http;

/// <summary>The request means the database with another id than the one that has the name now; answered with 412.</summary>
public sealed class OtherDatabaseException : Exception
{
    /// <summary>Creates the error.</summary>
    public OtherDatabaseException(string name, string meant, string found)
        : base($"The request is for the database with the id '{meant}'; the database '{name}' has the id '{found}'.") { }
}
