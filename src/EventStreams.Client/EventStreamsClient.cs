using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Repeating;
using Jackdaw.EventStreams.Client.Waking;

namespace Jackdaw.EventStreams.Client;

/// <summary>
/// The event streams and snapshots of one database. One client serves a whole process: appends of all its callers are joined. Every
/// call is repeated when the connection or the answer is lost, until <see cref="EventStreamsClientOptions.RepeatFor"/> has passed since
/// the call began; <c>began</c> is a value of <see cref="Begin"/>. All members may be used from any thread.
/// </summary>
/// <remarks>
/// Errors, all of them <see cref="EventStreamsException"/>: <see cref="ServerUnavailableException"/> when the time is over,
/// <see cref="RequestRefusedException"/> when the server answers with an error that will not pass, <see cref="InvalidAppendException"/>
/// when a rule is broken and nothing was sent, <see cref="DatabaseChangedException"/> when the name leads to another database than
/// before, <see cref="ServerNotTrustedException"/> when the server's certificate is not trusted, and
/// <see cref="UnexpectedAnswerException"/> when it is not Jackdaw that answers.
/// </remarks>
public sealed partial class EventStreamsClient : IAsyncDisposable
{
    private readonly ServerConnection _server;
    private readonly JoinedAppends _appends;

    /// <summary>Creates a client. Nothing is sent yet.</summary>
    /// <exception cref="ArgumentException">An option makes no sense; the message names it.</exception>
    public EventStreamsClient(EventStreamsClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _server = new ServerConnection(options);
        _appends = new JoinedAppends(_server);
        _snapshots = new Snapshots.SnapshotRoutes(_server);
        _uploads = new SemaphoreSlim(options.MaxSnapshotUploads);
        Wakeups = new Wakeups(_server);
    }

    /// <summary>What it was made with.</summary>
    public EventStreamsClientOptions Options => _server.Options;

    /// <summary>Tells readers that there is more to read.</summary>
    public Wakeups Wakeups { get; }

    /// <summary>The id of the database, which tells its positions from those of another one; null until an answer told it.</summary>
    public string? DatabaseId => _server.DatabaseId;

    /// <summary>Events and bytes of appends that are queued or under way.</summary>
    public (int Events, long Bytes) Queued => _appends.Queued;

    /// <summary>The moment from which a call's time is counted.</summary>
    public long Begin() => Options.Clock.GetTimestamp();

    /// <summary>
    /// Asks the server once whether the database is there, creates it when that is wanted, and learns its id. Writes nothing else.
    /// </summary>
    public async Task CheckAsync(CancellationToken cancel = default)
    {
        using var attempt = new Attempt(Options.Clock, Options.AttemptTimeout, cancel);
        try
        {
            await MeetAsync(attempt.Token);
        }
        catch (Exception e) when (attempt.IsPassing(e))
        {
            throw new ServerUnavailableException($"The {_server.Name} does not answer: {e.Message}", isOutcomeUnknown: false, e);
        }
    }

    /// <summary>As <see cref="CheckAsync"/>, again and again until it succeeds.</summary>
    /// <param name="failed">Is told of each kind of failure, once in a row.</param>
    /// <param name="cancel">Ends the waiting.</param>
    public async Task WaitUntilReadyAsync(Action<Exception>? failed = null, CancellationToken cancel = default)
    {
        var backOff = new BackOff(Options.Clock);
        string? told = null;
        while (true)
        {
            try
            {
                if (Options.CreatesDatabase)
                    await CreateDatabaseAsync(cancel);
                await CheckAsync(cancel);
                return;
            }
            catch (EventStreamsException e) when (e is not DatabaseChangedException)
            {
                if (e.Message != told)
                    failed?.Invoke(e);
                told = e.Message;
            }
            await backOff.WaitAsync(TimeSpan.MaxValue, cancel);
        }
    }

    /// <summary>
    /// Appends groups of one stream. They go together with the appends of other callers, after earlier appends to the same stream.
    /// Waits for room while too much is queued.
    /// </summary>
    /// <param name="append">What is appended. Its groups go in one request, unless together they are over the server's limit.</param>
    /// <param name="began">When the call began.</param>
    /// <param name="cancel">
    /// Takes back what has not been sent. What has been sent is not repeated any more, and the call ends with its answer or with
    /// <see cref="ServerUnavailableException"/>.
    /// </param>
    /// <returns>A result for each group.</returns>
    public Task<GroupResult[]> AppendAsync(StreamAppend append, long began, CancellationToken cancel = default) =>
        _appends.AppendAsync(append, Time(began), cancel);

    /// <summary>Looks whether a group keeps the rules and limits of which the client knows, and throws otherwise.</summary>
    /// <exception cref="InvalidAppendException">It does not.</exception>
    public void Verify(string stream, EventGroup group)
    {
        ArgumentNullException.ThrowIfNull(group);
        Texts.RequireStream(stream);
        AppendRules.VerifyGroup(stream, group, Options);
    }

    /// <summary>Deletes the events of a stream up to a number, inclusive. The highest number stays.</summary>
    public Task DeleteAsync(string stream, long to, long began, CancellationToken cancel = default)
    {
        var query = $"{Texts.StreamQuery(stream)}&to={to.ToString(CultureInfo.InvariantCulture)}";
        return RepeatedCall.RunAsync(
            _server,
            $"the deletion in stream '{stream}'",
            Time(began),
            isWrite: true,
            Options.AttemptTimeout,
            async attempt =>
            {
                using var answer = await _server.SendAsync(HttpMethod.Delete, _server.Path("events", query), null, attempt);
                return await answer.Content.ReadAsByteArrayAsync(attempt);
            },
            cancel
        );
    }

    /// <summary>Ends what is under way and closes all connections.</summary>
    public async ValueTask DisposeAsync()
    {
        await _appends.DisposeAsync();
        await Wakeups.DisposeAsync();
        _server.Dispose();
    }

    private CallTime Time(long began) => new(Options.Clock, began, Options.RepeatFor);

    private async Task CreateDatabaseAsync(CancellationToken cancel)
    {
        using var attempt = new Attempt(Options.Clock, Options.AttemptTimeout, cancel);
        var body = JsonSerializer.Serialize(new { DatabaseName = Options.Database });
        using var content = new StringContent(body, Encoding.UTF8, "application/json");
        try
        {
            var path = $"admin/databases?name={Uri.EscapeDataString(Options.Database)}";
            using var answer = await _server.SendAsync(HttpMethod.Put, path, content, attempt.Token);
        }
        catch (RequestRefusedException e) when (e.Status == HttpStatusCode.Conflict)
        {
            // It is there.
        }
        catch (Exception e) when (attempt.IsPassing(e))
        {
            throw new ServerUnavailableException($"The {_server.Name} cannot be created: {e.Message}", isOutcomeUnknown: true, e);
        }
    }

    private async Task MeetAsync(CancellationToken cancel)
    {
        using var answer = await _server.SendAsync(HttpMethod.Get, _server.Path("events/streams", "max=1"), null, cancel);
        try
        {
            using var json = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync(cancel));
            _server.Met(json.RootElement.GetProperty("databaseId").GetString()!);
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException and not ObjectDisposedException)
        {
            throw _server.NotUnderstood("a look at its streams", e);
        }
    }
}
