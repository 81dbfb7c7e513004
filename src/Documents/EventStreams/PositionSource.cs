namespace Jackdaw.Documents.EventStreams;

/// <summary>The positions of some events, ascending: of one stream, or of one tag. Gives its cursor back when it is disposed of.</summary>
internal abstract class PositionSource : IDisposable
{
    /// <summary>There are no more.</summary>
    public bool IsAtEnd { get; protected set; }

    /// <summary>The position that it stands on.</summary>
    public long Position { get; protected set; }

    /// <summary>To the first position after another one.</summary>
    public abstract void Seek(long after);

    /// <summary>To the next.</summary>
    public abstract void MoveNext();

    public abstract void Dispose();
}
