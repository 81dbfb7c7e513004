using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>Queries that change what they find.</summary>
public sealed partial class QueryPlanner
{
    /// <summary>Parses and plans a query with <c>update { … }</c>; parameters and errors as those of
    /// <see cref="Plan(string, RqlParameters, TimeProvider)"/>.</summary>
    /// <exception cref="UpdateMissingException">It has no update.</exception>
    public static UpdatePlan PlanUpdate(string query, RqlParameters parameters, TimeProvider? clock = null)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        var parsed = ParsedQueries.Shared.Get(query);
        if (parsed.Update is not { } update)
            throw new UpdateMissingException(parsed.At);
        var functions = parsed.Declarations.OfType<RqlFunctionDeclaration>().ToArray();
        var documents = parsed with
        {
            Update = null,
            Declarations = [.. parsed.Declarations.Where(declaration => declaration is not RqlFunctionDeclaration)],
        };
        return new UpdatePlan(
            new QueryPlanner(query, documents, parameters, clock).Plan(),
            Script(query, update, functions),
            parsed.From.Alias
        );
    }

    private static string Script(string query, RqlScript update, RqlFunctionDeclaration[] functions)
    {
        const string Function = "function";
        var script = query.Select(c => c is '\n' or '\r' ? c : ' ').ToArray();
        update.Text.CopyTo(0, script, OffsetOf(query, update.At), update.Text.Length);
        foreach (var function in functions)
        {
            // The query's keyword may be in capitals, JavaScript's may not.
            int start = query.IndexOf(Function, OffsetOf(query, function.At), StringComparison.OrdinalIgnoreCase);
            int end = OffsetOf(query, function.Body.At) + function.Body.Text.Length;
            query.CopyTo(start, script, start, end - start);
            Function.CopyTo(0, script, start, Function.Length);
        }

        return new string(script);
    }

    private static int OffsetOf(string query, RqlPosition at)
    {
        int offset = 0;
        for (int line = 1; line < at.Line; offset++)
        {
            bool isHalfOfTwo = query[offset] == '\r' && offset + 1 < query.Length && query[offset + 1] == '\n';
            if (query[offset] is '\n' or '\r' && !isHalfOfTwo)
                line++;
        }

        return offset + at.Column - 1;
    }
}
