namespace Jackdaw.Storage.Tables;

/// <summary>Walks a table by one of its indexes, either way. Rules as for <see cref="Trees.BTreeCursor"/>.</summary>
public sealed class TableIndexCursor : IDisposable
{
    public bool SeekFirst() => throw new NotImplementedException();

    public bool SeekLast() => throw new NotImplementedException();

    /// <summary>To the first entry whose index key (non-unique: index key ++ primary key) is not before <paramref name="key"/>.</summary>
    public bool Seek(ReadOnlySpan<byte> key) => throw new NotImplementedException();

    public bool MoveNext() => throw new NotImplementedException();

    public bool MovePrevious() => throw new NotImplementedException();

    /// <summary>The row's key in the index. Valid until the cursor moves.</summary>
    public ReadOnlySpan<byte> IndexKey => throw new NotImplementedException();

    /// <summary>Valid until the cursor moves, in a writer also until the next modification.</summary>
    public ReadOnlySpan<byte> PrimaryKey => throw new NotImplementedException();

    /// <summary>Looked up in the table's rows when asked for; lies in page memory.</summary>
    public ReadOnlySpan<byte> Row => throw new NotImplementedException();

    public void Dispose() => throw new NotImplementedException();
}
