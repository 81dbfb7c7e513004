using System.Runtime.ExceptionServices;
using System.Threading.Channels;
using Akka.Persistence.Jackdaw.Mapping;
using Jackdaw.EventStreams.Client.Reading;

namespace Akka.Persistence.Jackdaw.Journal;

/// <summary>
/// Hands the events of a stream over, one by one and in their order, while those that follow are read and deserialised: deserialising
/// costs more than everything else of a replay, so batches of events are deserialised side by side. A few events go without all that.
/// </summary>
/// <param name="mapping">Deserialises.</param>
/// <param name="handOver">Takes the events; called by one thread at a time.</param>
internal sealed class Replay(EventMapping mapping, Action<IPersistentRepresentation> handOver)
{
    private const int BatchEvents = 64;
    private const int BatchBytes = 256 << 10;

    /// <summary>Below it a batch is not worth another thread.</summary>
    private const int FewEvents = 16;

    /// <summary>Batches that are read and not handed over.</summary>
    private static readonly int BatchesAhead = 2 * Environment.ProcessorCount;

    /// <summary>Returns when every event has been handed over.</summary>
    /// <exception cref="System.Runtime.Serialization.SerializationException">An event cannot be deserialised; those before it have been
    /// handed over, and none after it.</exception>
    public async Task RunAsync(IAsyncEnumerable<StoredEvent> events)
    {
        var batches = Channel.CreateBounded<Task<Batch>>(
            new BoundedChannelOptions(BatchesAhead) { SingleReader = true, SingleWriter = true }
        );
        using var stop = new CancellationTokenSource();
        var reading = ReadAsync(events, batches.Writer, stop.Token);
        try
        {
            await foreach (var batch in batches.Reader.ReadAllAsync())
                HandOver(await batch);
        }
        finally
        {
            await stop.CancelAsync();
            await reading;
        }
    }

    /// <summary>Never fails: the channel ends with the error.</summary>
    private async Task ReadAsync(IAsyncEnumerable<StoredEvent> events, ChannelWriter<Task<Batch>> batches, CancellationToken stop)
    {
        try
        {
            await using var reading = events.GetAsyncEnumerator(stop);
            var next = new List<StoredEvent>();
            var bytes = 0;
            while (true)
            {
                var moving = reading.MoveNextAsync().AsTask();
                // What is here does not wait for what is not.
                if (next.Count > 0 && (!moving.IsCompleted || next.Count == BatchEvents || bytes >= BatchBytes))
                {
                    var batch = DeserializeAsync(next);
                    (next, bytes) = ([], 0);
                    if (!batches.TryWrite(batch))
                        await WriteAsync(batches, batch, moving, stop);
                }
                if (!await moving)
                    break;
                next.Add(reading.Current);
                bytes += reading.Current.Payload.Length;
            }
            if (next.Count > 0)
                await batches.WriteAsync(DeserializeAsync(next), stop);
            batches.Complete();
        }
        catch (Exception e)
        {
            batches.Complete(e);
        }
    }

    /// <summary>Waits for room. When it is to stop, the reading has ended first: it cannot be disposed of before.</summary>
    private static async Task WriteAsync(ChannelWriter<Task<Batch>> batches, Task<Batch> batch, Task moving, CancellationToken stop)
    {
        try
        {
            await batches.WriteAsync(batch, stop);
        }
        catch
        {
            await moving.ContinueWith(static _ => { }, TaskScheduler.Default);
            throw;
        }
    }

    private Task<Batch> DeserializeAsync(List<StoredEvent> events) =>
        events.Count < FewEvents ? Task.FromResult(Deserialize(events)) : Task.Run(() => Deserialize(events));

    private Batch Deserialize(List<StoredEvent> events)
    {
        var representations = new List<IPersistentRepresentation>(events.Count);
        try
        {
            foreach (var stored in events)
                representations.Add(mapping.ToRepresentation(stored));
            return new Batch(representations, null);
        }
        catch (Exception e)
        {
            return new Batch(representations, ExceptionDispatchInfo.Capture(e));
        }
    }

    private void HandOver(Batch batch)
    {
        foreach (var representation in batch.Representations)
            handOver(representation);
        batch.Error?.Throw();
    }

    /// <param name="Representations">What could be deserialised.</param>
    /// <param name="Error">Why the one after them could not; null: there is none.</param>
    private sealed record Batch(List<IPersistentRepresentation> Representations, ExceptionDispatchInfo? Error);
}
