using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>A query that is to change documents has no <c>update { … }</c>.</summary>
public sealed class UpdateMissingException : QueryException
{
    internal UpdateMissingException(RqlPosition at)
        : base($"A patch by query needs the clause 'update {{ … }}' with the script to run on each document ({at}).", at) { }
}
