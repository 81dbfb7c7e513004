using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Http;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>What every request about indexes begins with.</summary>
internal static class IndexRequests
{
    /// <summary>The indexes of the database named in the path.</summary>
    public static DatabaseIndexes Indexes(this RequestContext request) => Indexes(request.Database());

    /// <summary>The indexes of an open database.</summary>
    public static DatabaseIndexes Indexes(Database database) =>
        database.Attached<DatabaseIndexes>() ?? throw new InvalidOperationException("The database has no indexes attached.");

    /// <summary>The index of the parameter <c>name</c>.</summary>
    /// <exception cref="IndexNotFoundException">There is none.</exception>
    public static Index RequiredIndex(this RequestContext request)
    {
        var name = request.Query.Required("name");
        return request.Indexes().Find(name) ?? throw request.NoIndex(name);
    }

    /// <summary>The indexes of the parameters <c>name</c>; all when there is none.</summary>
    /// <exception cref="IndexNotFoundException">One is not there.</exception>
    public static IReadOnlyList<Index> NamedIndexes(this RequestContext request)
    {
        var indexes = request.Indexes();
        var names = request.Query.All("name").Where(name => name.Length > 0).ToList();
        return names.Count == 0 ? indexes.All : [.. names.Select(name => indexes.Find(name) ?? throw request.NoIndex(name))];
    }

    /// <summary>The error of a name that no index has.</summary>
    public static IndexNotFoundException NoIndex(this RequestContext request, string name) =>
        new(ShownText.Of(name), request.Database().Name);
}
