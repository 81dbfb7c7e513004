namespace Jackdaw.Server.Http;

/// <summary>
/// The parameter <c>databaseId</c>: numbers and positions that a client knows belong to the history of one database. A client that
/// names it is refused when the name leads to another one, before anything is read or written.
/// </summary>
internal static class MeantDatabase
{
    private const string Parameter = "databaseId";

    /// <summary>The handler behind the look at the parameter.</summary>
    public static RequestHandler Required(RequestHandler handler) =>
        request =>
        {
            if (request.Query.Has(Parameter))
                Require(request);
            return handler(request);
        };

    private static void Require(RequestContext request)
    {
        var meant = request.Query.Required(Parameter);
        var database = request.Database();
        if (!meant.Equals(database.IdText, StringComparison.Ordinal))
            throw new OtherDatabaseException(request.DatabaseName, meant, database.IdText);
    }
}
