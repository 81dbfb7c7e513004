namespace Jackdaw.Indexing.Processes;

/// <summary>A query needs an automatic index more than the database may have.</summary>
public sealed class TooManyIndexesException(string database, string index, int most)
    : Exception(
        $"The query needs the automatic index '{index}', and database '{database}' has {most} automatic indexes already, "
            + "which is the limit (Limits.MaxAutoIndexes). Delete indexes that are not used, or raise the limit."
    );
