namespace Jackdaw.Documents.EventStreams;

/// <summary>An event as a cursor shows it. Spans lie in page memory or in the reader's: valid until the cursor moves.</summary>
public readonly ref struct StoredEvent
{
    private readonly EventRow _row;
    private readonly EventStreamsReader _reader;

    internal StoredEvent(long position, EventRow row, EventStreamsReader reader)
    {
        Position = position;
        _row = row;
        _reader = reader;
    }

    /// <summary>Its etag.</summary>
    public long Position { get; }

    /// <summary>The number of its stream.</summary>
    public long StreamNumber => _row.StreamNumber;

    /// <summary>It is deleted, and still on disk.</summary>
    internal bool IsDeleted => _row.Number <= _reader.DeletedUpTo(_row.StreamNumber);

    /// <summary>The id of its stream, UTF-8.</summary>
    public ReadOnlySpan<byte> StreamId => _reader.StreamId(_row.StreamNumber);

    /// <summary>Its number in the stream.</summary>
    public long Number => _row.Number;

    /// <summary>UTC ticks.</summary>
    public long Ticks => _row.Ticks;

    /// <summary>The number of its serializer.</summary>
    public int Serializer => _row.Serializer;

    /// <summary>The serializer's manifest; empty: none.</summary>
    public ReadOnlySpan<byte> Manifest => _reader.Name(_row.Manifest);

    /// <summary>The event adapter's manifest; empty: none.</summary>
    public ReadOnlySpan<byte> AdapterManifest => _reader.Name(_row.AdapterManifest);

    /// <summary>Its writer; empty: none.</summary>
    public ReadOnlySpan<byte> Writer => _reader.Name(_row.Writer);

    /// <summary>How many tags it has.</summary>
    public int TagCount => _row.TagCount;

    /// <summary>The payload is a JSON text.</summary>
    public bool IsJson => _row.IsJson;

    /// <summary>Its bytes.</summary>
    public ReadOnlySpan<byte> Payload => _row.Payload;

    /// <summary>The number of one of its tags: the same for the same text in all events.</summary>
    public int TagNumber(int i) => _row.Tag(i);

    /// <summary>One of its tags, UTF-8.</summary>
    public ReadOnlySpan<byte> Tag(int i) => _reader.Name(_row.Tag(i));
}
