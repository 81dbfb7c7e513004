using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Running;

/// <summary>The index that answers a query, and whether the query has made it.</summary>
/// <param name="Index">Null for a query that needs none.</param>
/// <param name="IsNew">No index had the fields: this one was made for the query, and may have seen little yet.</param>
/// <param name="Because">Why this one, for people; the sentence ends with <paramref name="Wanted"/> where those are given.</param>
/// <param name="Wanted">The fields that the query needs.</param>
public readonly record struct IndexChoice(Processes.Index? Index, bool IsNew, string Because, AutoIndexDefinition? Wanted = null)
{
    /// <summary>Why this one, for people. Made when it is asked for: most queries are not explained.</summary>
    public string Reason => Wanted is null ? Because : $"{Because}: {Fields(Wanted)}.";

    /// <summary>
    /// Finds the index, or makes it. The answer comes when its definition is durable, not when it has caught up.
    /// </summary>
    /// <exception cref="IndexDoesNotExistException">The query names an index that is not there.</exception>
    /// <exception cref="QueryArgumentException">It names an index that does not have what the query needs.</exception>
    /// <exception cref="QueryNotSupportedException">The database has no indexes.</exception>
    /// <exception cref="IndexLockedException">It needs more fields than an index has that is locked.</exception>
    public static async ValueTask<IndexChoice> MakeAsync(Database database, QueryPlan plan, CancellationToken cancellation)
    {
        var found = Find(database, plan);
        if (found.Index is not null || plan.Index is not { } asked)
            return found;
        var indexes = database.Attached<DatabaseIndexes>()!;
        try
        {
            var made = await indexes.EnsureAutomaticAsync(asked.Wanted, cancellation).ConfigureAwait(false);
            return new IndexChoice(made, IsNew: true, "No index had every field that the query needs", asked.Wanted);
        }
        catch (FormatException path)
        {
            throw new QueryArgumentException(path.Message.TrimEnd('.'), asked.NameAt);
        }
    }

    /// <summary>Finds the index that would answer now, without making one; its <see cref="Index"/> is null when there is none. Errors as
    /// those of <see cref="MakeAsync"/>.</summary>
    public static IndexChoice Find(Database database, QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(plan);
        if (plan.Index is not { } asked)
            return new IndexChoice(null, IsNew: false, "The collection is read as it is: neither a condition nor an order needs an index.");
        if (Named(database, plan) is { } named)
        {
            named.NoteUsed();
            return new IndexChoice(
                named,
                IsNew: false,
                ReferenceEquals(plan.For(named.Definition), plan)
                    ? "The query names it."
                    : "The query names it. Conditions on @metadata, of which it lacks fields, are tested document by document."
            );
        }
        if (database.Attached<DatabaseIndexes>() is not { } indexes)
            throw new QueryNotSupportedException("a condition or an order on fields, because this database has no indexes", asked.NameAt);
        return indexes.FindAutomatic(asked.Wanted) is { } found
            ? new IndexChoice(found, IsNew: false, "It has every field that the query needs", asked.Wanted)
            : new IndexChoice(null, IsNew: true, "No index has every field that the query needs", asked.Wanted);
    }

    /// <summary>Says of each other automatic index of the database why it does not answer the query.</summary>
    public IEnumerable<(string Index, string Reason)> Others(Database database, QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(plan);
        if (plan.Index is not { Name: null } asked || database.Attached<DatabaseIndexes>() is not { } indexes)
            yield break;
        foreach (var other in indexes.All)
        {
            if (other == Index)
                continue;
            var has = other.Definition;
            yield return (
                other.Name,
                !AutoIndexDefinitions.IsOfSameCollection(has, asked.Wanted) ? $"It is of {has.Collection ?? "all documents"}."
                : AutoIndexDefinitions.Covers(has, asked.Wanted) ? "It has every field, but another one was found first."
                : $"It has {Fields(has)}, and the query needs {Fields(asked.Wanted)}."
            );
        }
    }

    /// <summary>Returns the index that the query names; null when it names none.</summary>
    /// <exception cref="IndexDoesNotExistException">It is not there.</exception>
    /// <exception cref="QueryArgumentException">It does not have what the query needs.</exception>
    public static Processes.Index? Named(Database database, QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(plan);
        if (plan.Index is not { Name: { } name } asked)
            return null;
        var index = database.Attached<DatabaseIndexes>()?.Find(name) ?? throw new IndexDoesNotExistException(name, asked.NameAt);
        if (plan.For(index.Definition) is null)
            throw new QueryArgumentException(Lacks(index, asked), asked.NameAt);
        return index;
    }

    /// <summary>Returns the plan as this index answers it.</summary>
    public QueryPlan Answering(QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        return Index is null || plan.Index is not { MetadataTest: not null } ? plan : plan.For(Index.Definition) ?? plan;
    }

    private static string Lacks(Processes.Index index, IndexPlan asked)
    {
        var has = index.Definition;
        var message =
            $"The index '{index.Name}' has the fields {Fields(has)}, and the query needs {Fields(asked.Wanted)}. Without the name of the "
            + $"index, as \"from '{has.Collection ?? RqlFrom.AllDocumentsName}'\", the query finds or makes an index with these fields";
        return asked.Wanted.Fields.Any(QueryPlanner.IsOfMetadata)
            ? message
                + ". An index that lacks fields of @metadata answers conditions on them, but no 'search()' in them, no order by them, "
                + "and none beside 'filter_limit'"
            : message;
    }

    /// <summary>The fields as the index names them.</summary>
    internal static string Fields(AutoIndexDefinition definition)
    {
        var names = new List<string>();
        foreach (var field in definition.Fields)
        {
            names.Add(field.Path);
            if (field.HasSearch)
                names.Add(AutoIndexDefinitions.SearchField(field.Path));
            if (field.HasExact)
                names.Add(AutoIndexDefinitions.ExactField(field.Path));
        }
        return names.Count == 0 ? "id()" : string.Join(", ", names);
    }
}
