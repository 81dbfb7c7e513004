namespace Jackdaw.Indexing.Processes;

/// <summary>A query needs fields that would extend a locked index.</summary>
public sealed class IndexLockedException(string index, string fields)
    : Exception(
        $"The query needs {fields}. The index '{index}' is locked (LockedError), so that it is neither extended nor replaced. "
            + "Unlock it (POST /indexes/set-lock), or query the fields that it has."
    );
