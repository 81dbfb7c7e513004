using System.Collections.Immutable;
using Akka.Persistence.Jackdaw.Mapping;
using Jackdaw.EventStreams.Client;
using Jackdaw.EventStreams.Client.Appending;

namespace Akka.Persistence.Jackdaw.Journal;

/// <summary>The atomic writes of one call, and what becomes of each.</summary>
internal sealed class WriteBatch
{
    private readonly EventStreamsClient _client;
    private readonly List<Exception?> _rejections = [];
    private readonly List<(string Id, EventGroup Group, int Index)> _groups = [];

    /// <summary>Serialises the writes.</summary>
    public WriteBatch(EventStreamsClient client, EventMapping mapping, IReadOnlyList<AtomicWrite> messages)
    {
        _client = client;
        var ticks = DateTime.UtcNow.Ticks;
        foreach (var write in messages)
        {
            _rejections.Add(null);
            try
            {
                var group = mapping.ToGroup(write, ticks);
                client.Verify(write.PersistenceId, group);
                _groups.Add((write.PersistenceId, group, _rejections.Count - 1));
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                // It cannot be serialised, or is over a limit: nothing of it was sent.
                _rejections[^1] = e;
            }
        }
    }

    /// <summary>Null when every write is stored; otherwise an element for each, null for those that are stored.</summary>
    public IImmutableList<Exception?>? Rejections => _rejections.TrueForAll(one => one is null) ? null : [.. _rejections];

    /// <summary>
    /// Appends what was not rejected. When this returns, all of it is in the client's queue. A task fails when something is not stored and
    /// the event is not to blame, and when that is not known.
    /// </summary>
    public Task[] Appends(long began, CancellationToken cancel) =>
        [.. _groups.GroupBy(one => one.Id, StringComparer.Ordinal).Select(ofOne => AppendAsync(ofOne.Key, [.. ofOne], began, cancel))];

    private async Task AppendAsync(
        string id,
        IReadOnlyList<(string Id, EventGroup Group, int Index)> groups,
        long began,
        CancellationToken cancel
    )
    {
        var results = await _client.AppendAsync(new StreamAppend(id, [.. groups.Select(one => one.Group)]), began, cancel);
        for (var i = 0; i < results.Length; i++)
        {
            var (_, group, index) = groups[i];
            if (results[i].Outcome == AppendOutcome.TooLarge)
                _rejections[index] = new InvalidOperationException(
                    $"An event from {group.First} of '{id}' is over the server's limit (Limits.MaxEventSizeInMb)."
                );
            else if (results[i].Outcome != AppendOutcome.Stored)
                throw new JournalConflictException(id, group.First, results[i]);
        }
    }
}
