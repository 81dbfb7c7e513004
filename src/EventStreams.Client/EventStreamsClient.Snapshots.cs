using System.Globalization;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Repeating;
using Jackdaw.EventStreams.Client.Snapshots;

namespace Jackdaw.EventStreams.Client;

/// <summary>Saving, loading and deleting snapshots.</summary>
public sealed partial class EventStreamsClient
{
    private readonly SnapshotRoutes _snapshots;
    private readonly SemaphoreSlim _uploads;

    /// <summary>
    /// Saves a snapshot; it replaces the one of the same stream and number. Waits while
    /// <see cref="EventStreamsClientOptions.MaxSnapshotUploads"/> others are saved.
    /// </summary>
    /// <exception cref="InvalidAppendException">It is over the limit.</exception>
    public async Task SaveSnapshotAsync(Snapshot snapshot, long began, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        Texts.Require(snapshot.Manifest, "The manifest of a snapshot");
        if (snapshot.Bytes.Length > Options.MaxSnapshotBytes)
            throw new InvalidAppendException(
                $"Snapshot {snapshot.Number} of stream '{snapshot.Stream}' has {snapshot.Bytes.Length:N0} bytes; the limit is "
                    + $"{Texts.Size(Options.MaxSnapshotBytes)} (Limits.MaxSnapshotSizeInMb of the server, MaxSnapshotBytes here)."
            );
        var what = $"the saving of snapshot {snapshot.Number} of stream '{snapshot.Stream}'";
        var time = SnapshotTime(began);
        await WaitForTurnAsync(what, time, cancel);
        try
        {
            await RepeatedCall.RunAsync(
                _server,
                what,
                time,
                isWrite: true,
                SnapshotPatience,
                attempt => _snapshots.SaveAsync(snapshot, attempt),
                cancel
            );
        }
        finally
        {
            _uploads.Release();
        }
    }

    /// <summary>Loads the snapshot with the highest number within the bounds; null when there is none.</summary>
    public Task<Snapshot?> LoadSnapshotAsync(string stream, SnapshotBounds bounds, long began, CancellationToken cancel = default) =>
        RepeatedCall.RunAsync(
            _server,
            $"the loading of a snapshot of stream '{stream}'",
            SnapshotTime(began),
            isWrite: false,
            SnapshotPatience,
            attempt => _snapshots.LoadAsync(stream, bounds, attempt),
            cancel
        );

    /// <summary>Deletes one snapshot.</summary>
    /// <param name="stream">The stream's id.</param>
    /// <param name="number">Its number.</param>
    /// <param name="ticks">When given, only a snapshot with exactly this time.</param>
    /// <param name="maxTicks">When given, only a snapshot with at most this time.</param>
    /// <param name="began">When the call began.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>How many were deleted by the last attempt.</returns>
    public Task<long> DeleteSnapshotAsync(
        string stream,
        long number,
        long? ticks,
        long? maxTicks,
        long began,
        CancellationToken cancel = default
    )
    {
        var query = string.Create(CultureInfo.InvariantCulture, $"{Texts.StreamQuery(stream)}&number={number}");
        if (ticks is not null)
            query += string.Create(CultureInfo.InvariantCulture, $"&ticks={ticks}");
        if (maxTicks is not null)
            query += string.Create(CultureInfo.InvariantCulture, $"&maxTicks={maxTicks}");
        return DeleteSnapshotsAsync(stream, query, began, cancel);
    }

    /// <summary>Deletes all snapshots within the bounds.</summary>
    /// <returns>How many were deleted by the last attempt.</returns>
    public Task<long> DeleteSnapshotsAsync(string stream, SnapshotBounds bounds, long began, CancellationToken cancel = default) =>
        DeleteSnapshotsAsync(stream, Texts.StreamQuery(stream) + bounds.Query(), began, cancel);

    private Task<long> DeleteSnapshotsAsync(string stream, string query, long began, CancellationToken cancel) =>
        RepeatedCall.RunAsync(
            _server,
            $"the deletion of snapshots of stream '{stream}'",
            SnapshotTime(began),
            isWrite: true,
            SnapshotPatience,
            attempt => _snapshots.DeleteAsync(query, attempt),
            cancel
        );

    private async Task WaitForTurnAsync(string what, CallTime time, CancellationToken cancel)
    {
        using var late = new CancellationTokenSource(time.Left, time.Clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancel);
        try
        {
            await _uploads.WaitAsync(either.Token);
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            throw new ServerUnavailableException(
                $"{Options.MaxSnapshotUploads} snapshots before {what} took longer than {time.RepeatFor.TotalSeconds:0.###} s "
                    + $"({nameof(EventStreamsClientOptions.MaxSnapshotUploads)}); it was not sent.",
                isOutcomeUnknown: false,
                null
            );
        }
    }

    /// <summary>A large snapshot takes its time; two attempts fit into the time of a call.</summary>
    private TimeSpan SnapshotPatience => Options.RepeatSnapshotsFor / 2;

    private CallTime SnapshotTime(long began) => new(Options.Clock, began, Options.RepeatSnapshotsFor);
}
