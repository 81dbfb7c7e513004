using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tombstones;

/// <summary>Removes a bounded number of the oldest tombstones, and notes what consumers have missed by it.</summary>
internal sealed class CleanTombstonesOperation : MergedOperation
{
    private readonly Dictionary<string, DeletionGap> _missed = new(StringComparer.OrdinalIgnoreCase);
    private long _nowTicks;

    public override long SizeBytes => 0;

    /// <summary>Tombstones up to it go.</summary>
    public long UpToEtag { get; set; }

    /// <summary>Of those up to this etag, the aged go, too.</summary>
    public long AgedUpToEtag { get; set; }

    /// <summary>A tombstone from before it has aged: UTC ticks.</summary>
    public long AgedBeforeTicks { get; set; }

    /// <summary>Who reads tombstones, wherever it is.</summary>
    public IReadOnlyList<ConsumerPlace> Consumers { get; set; } = [];

    /// <summary>A result.</summary>
    public int Removed { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        // It may be executed again.
        _missed.Clear();
        _nowTicks = writer.NowTicks;
        Removed = writer.RemoveTombstones(this, Limits.TombstonesPerCleaning);
        foreach (var gap in _missed.Values)
        {
            byte[] key = DeletionGap.KeyBytes(gap.Consumer);
            var whole = writer.TryGetTaskValue(key, out var former)
                ? DeletionGap.Read(DeletionGap.Key(gap.Consumer), former).With(gap)
                : gap;
            writer.SetTaskValue(key, whole.ToBytes());
        }
    }

    /// <summary>Does it go?</summary>
    internal bool Takes(long etag, long lastModifiedTicks) =>
        etag <= UpToEtag || (etag <= AgedUpToEtag && lastModifiedTicks < AgedBeforeTicks);

    /// <summary>It goes: whoever has not seen it has missed it.</summary>
    internal void Removing(long etag, ReadOnlySpan<byte> collection)
    {
        foreach (var consumer in Consumers)
        {
            if (consumer.Etag >= etag || (consumer.Wants is { } wants && !wants(Encoding.UTF8.GetString(collection))))
                continue;
            var one = new DeletionGap(consumer.Name, consumer.Etag, etag, 1, _nowTicks);
            _missed[consumer.Name] = _missed.TryGetValue(consumer.Name, out var known) ? known.With(one) : one;
        }
    }
}
