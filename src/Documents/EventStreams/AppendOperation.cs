using System.Buffers;
using System.Buffers.Text;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Appends any number of groups of events. Each group has an outcome of its own (<see cref="EventGroup.Outcome"/>), decided before
/// anything changes; the operation itself is refused only for want of room or for a damaged page. Not pooled.
/// </summary>
public sealed partial class AppendOperation : RoomOperation
{
    /// <summary>What an event, and a group, counts in the merger's queue beside texts and payloads.</summary>
    private const int EventOverheadBytes = 128;

    private readonly long _maxBytes;
    private readonly List<EventGroup> _groups = [];
    private readonly List<AppendedEvent> _events = [];
    private readonly List<ByteRange> _tags = [];
    private CommandBuffer _texts;
    private long _size;

    /// <summary>Creates an append without groups.</summary>
    /// <param name="limits">Those of the database.</param>
    public AppendOperation(Limits limits)
        : base(EventsRoom.Instance)
    {
        ArgumentNullException.ThrowIfNull(limits);
        MaxEventBytes = limits.MaxEventBytes;
        _maxBytes = limits.MaxAppendBytes;
        _names = new NameNumbers(this);
        _streams = new Dictionary<ByteRange, PlannedStream>(new TextComparer(this));
    }

    /// <summary>Its groups, in the order in which they are looked at.</summary>
    public IReadOnlyList<EventGroup> Groups => _groups;

    /// <inheritdoc/>
    public override long SizeBytes => _size;

    internal override bool IsShort => _size <= MaxShortBytes;

    internal int MaxEventBytes { get; }

    internal int EventCount => _events.Count;

    /// <summary>Adds a group, to be filled in before the next one is added.</summary>
    /// <exception cref="TooLargeException">There are too many.</exception>
    public EventGroup AddGroup()
    {
        var group = new EventGroup(this, _groups.Count);
        _groups.Add(group);
        // Also groups without events take memory until they are refused.
        Count(EventOverheadBytes);
        return group;
    }

    /// <summary>Verifies each group as a whole. Call it before the append is submitted.</summary>
    /// <exception cref="InvalidAppendException">A group misses something, or its numbers are none.</exception>
    public void Complete()
    {
        if (_groups.Count == 0)
            throw new InvalidAppendException("The append has no groups.");
        foreach (var group in _groups)
            group.Complete();
    }

    internal ReadOnlySpan<byte> Text(ByteRange range) => _texts.Slice(range);

    internal ByteRange AddText(ReadOnlySpan<byte> text, in AppendPlace place)
    {
        if (text.Length > Limits.MaxEventTextBytes)
            throw new InvalidAppendException($"{place} has {text.Length:N0} bytes; the limit is {Limits.MaxEventTextBytes:N0} (fixed).");
        Count(text.Length);
        return _texts.Append(text);
    }

    internal AppendedEvent AddEvent(EventGroup group, in NewEvent added)
    {
        Invariant.Require(_groups[^1] == group);
        var place = new AppendPlace(group.Index, group.Count);
        if (added.Ticks is < 0)
            throw new InvalidAppendException($"{place}.ticks is {added.Ticks}; it is at least 0.");
        int firstTag = _tags.Count;
        AddTags(added.Tags, place);
        Count(EventOverheadBytes + added.Payload.Length);
        var appended = new AppendedEvent(
            added.IsJson,
            added.Payload,
            added.PayloadBase64.IsEmpty ? default : Decode(added.PayloadBase64, place),
            added.Serializer,
            added.Ticks,
            AddText(added.Manifest, place with { Member = "manifest" }),
            AddText(added.AdapterManifest, place with { Member = "adapterManifest" }),
            firstTag,
            _tags.Count - firstTag
        );
        _events.Add(appended);
        return appended;
    }

    private void AddTags(IReadOnlyList<ReadOnlyMemory<byte>>? tags, in AppendPlace place)
    {
        if (tags is null)
            return;
        if (tags.Count > Limits.MaxEventTags)
            throw new InvalidAppendException($"{place} has {tags.Count:N0} tags; the limit is {Limits.MaxEventTags} (fixed).");
        int first = _tags.Count;
        for (int i = 0; i < tags.Count; i++)
        {
            if (tags[i].IsEmpty)
                throw new InvalidAppendException($"{place}.tags[{i}] is empty; a tag has 1 to {Limits.MaxEventTextBytes:N0} bytes.");
            if (!HasTag(first, tags[i].Span))
                _tags.Add(AddText(tags[i].Span, place with { Member = "tags", Item = i }));
        }
    }

    private bool HasTag(int first, ReadOnlySpan<byte> tag)
    {
        for (int i = first; i < _tags.Count; i++)
        {
            if (Text(_tags[i]).SequenceEqual(tag))
                return true;
        }
        return false;
    }

    private ByteRange Decode(ReadOnlySpan<byte> base64, in AppendPlace place)
    {
        int room = Base64.GetMaxDecodedFromUtf8Length(base64.Length);
        Count(room);
        var status = Base64.DecodeFromUtf8(base64, _texts.GetSpan(room), out _, out int written);
        if (status != OperationStatus.Done)
            throw new InvalidAppendException($"{place}.payloadBase64 is not Base64.");
        var range = new ByteRange(_texts.Length, written);
        _texts.Advance(written);
        return range;
    }

    private void Count(long bytes)
    {
        _size += bytes;
        if (_size > _maxBytes)
            throw new TooLargeException(
                "The append (bytes, at groups[" + (_groups.Count - 1) + "])",
                _size,
                _maxBytes,
                "Limits.MaxAppendSizeInMb"
            );
    }

    private ReadOnlySpan<byte> PayloadOf(in AppendedEvent appended) =>
        appended.Payload.IsEmpty ? _texts.Slice(appended.OwnPayload) : appended.Payload.Span;
}
