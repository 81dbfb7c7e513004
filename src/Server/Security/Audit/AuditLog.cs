using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Threading.Channels;
using Jackdaw.Server.Alerts;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Security.Audit;

/// <summary>
/// Tells who administered the server, and who was refused: one JSON object a line, to the log (category Jackdaw.Audit) and, where a folder
/// is configured, to a file a day. A line is written after its request was answered, in the order of the answers. Refusals are bounded,
/// so that nobody fills the disk with them. Thread-safe.
/// </summary>
internal sealed partial class AuditLog : IAsyncDisposable
{
    private const string AlertKey = "audit";

    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);

    private static readonly JsonSerializerOptions s_json = new()
    {
        Encoder = JavaScriptEncoder.Default,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Converters = { new JsonStringEnumConverter() },
    };

    private readonly string? _folder;
    private readonly TimeProvider _clock;
    private readonly ServerAlerts? _alerts;
    private readonly ITimer _windows;
    private readonly Channel<(DateTimeOffset Time, AuditEntry Entry)> _waiting;
    private readonly Task _writing;
    private volatile ILogger? _logger;
    private readonly AuditBudget _known = new(AuditLimits.MaxRefusalsPerMinute, "Refusals of known clients, and what found no place.");
    private readonly AuditBudget _unknown = new(AuditLimits.MaxUnknownRefusalsPerMinute, "Refusals of unknown clients.");
    private long _windowEnds;

    /// <param name="folder">Where the files are made; null: there are none.</param>
    /// <param name="alerts">Told when a file cannot be written; null: nobody is.</param>
    /// <param name="clock">Gives the time of a line, and measures the bound of refusals.</param>
    public AuditLog(string? folder, ServerAlerts? alerts = null, TimeProvider? clock = null)
    {
        _folder = folder;
        _alerts = alerts;
        _clock = clock ?? TimeProvider.System;
        _waiting = Channel.CreateBounded<(DateTimeOffset, AuditEntry)>(AuditLimits.MaxWaiting);
        _windowEnds = (_clock.GetUtcNow() + s_window).UtcTicks;
        // Tells how many were left out although no further line comes.
        _windows = _clock.CreateTimer(_ => TellOmitted(), null, s_window, s_window);
        _writing = Task.Run(WriteAllAsync);
    }

    /// <summary>Writes each line to a log, too.</summary>
    /// <param name="logger">Of the category Jackdaw.Audit.</param>
    public void LogTo(ILogger logger) => _logger = logger;

    /// <summary>Writes a line soon. Costs nothing but the place in the queue.</summary>
    public void Add(AuditEntry entry)
    {
        var now = _clock.GetUtcNow();
        var ends = Interlocked.Read(ref _windowEnds);
        if (now.UtcTicks >= ends && Interlocked.CompareExchange(ref _windowEnds, (now + s_window).UtcTicks, ends) == ends)
            BeginWindow();
        var budget = entry is { Kind: AuditKind.Refusal, Client: null } ? _unknown : _known;
        if ((entry.Kind == AuditKind.Refusal && !budget.TryTake()) || !_waiting.Writer.TryWrite((now, entry)))
            budget.Omit(1);
    }

    /// <summary>Writes what waits, and ends.</summary>
    public async ValueTask DisposeAsync()
    {
        await _windows.DisposeAsync();
        TellOmitted();
        _waiting.Writer.TryComplete();
        await _writing;
    }

    private void BeginWindow()
    {
        _known.Renew();
        _unknown.Renew();
        TellOmitted();
    }

    private void TellOmitted()
    {
        TellOmitted(_known);
        TellOmitted(_unknown);
    }

    private void TellOmitted(AuditBudget budget)
    {
        var omitted = budget.TakeOmitted();
        var entry = new AuditEntry
        {
            Kind = AuditKind.Omitted,
            Count = omitted,
            Reason = budget.What,
        };
        if (omitted > 0 && !_waiting.Writer.TryWrite((_clock.GetUtcNow(), entry)))
            budget.Omit(omitted);
    }

    private async Task WriteAllAsync()
    {
        await foreach (var (time, entry) in _waiting.Reader.ReadAllAsync())
        {
            var line = LineOf(time, entry);
            if (_logger is { } logger)
                LogLine(logger, line);
            if (_folder is not null)
                await AppendAsync(_folder, time, line);
        }
    }

    private static string LineOf(DateTimeOffset time, AuditEntry entry)
    {
        var members = JsonSerializer.SerializeToNode(
            entry with
            {
                Path = Bounded(entry.Path),
                Query = Bounded(entry.Query),
                Subject = Bounded(entry.Subject),
                Reason = Bounded(entry.Reason),
            },
            s_json
        )!;
        members.AsObject().Insert(0, "Time", time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        return members.ToJsonString(s_json);
    }

    /// <summary>Opened for each line: a file that was moved away is made anew, and administrative acts are few.</summary>
    private async Task AppendAsync(string folder, DateTimeOffset time, string line)
    {
        try
        {
            Directory.CreateDirectory(folder);
            var file = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"audit-{time.UtcDateTime:yyyy-MM-dd}.jsonl"));
            var options = new FileStreamOptions
            {
                Mode = FileMode.Append,
                Access = FileAccess.Write,
                Share = FileShare.ReadWrite | FileShare.Delete,
            };
            if (!OperatingSystem.IsWindows())
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;
            await using var stream = new FileStream(file, options);
            await stream.WriteAsync(System.Text.Encoding.UTF8.GetBytes(line + "\n"));
            _alerts?.Clear(AlertKey);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            if (_logger is { } logger)
                LogFailure(logger, e.Message);
            _alerts?.Raise(
                AlertKey,
                Alert.Error,
                "The audit log cannot be written",
                e.Message,
                "Make the folder of Security.AuditLog.FolderPath writable for the server. Lines go to the server's log meanwhile."
            );
        }
    }

    private static string? Bounded(string? text) => text is { Length: > AuditLimits.MaxText } ? text[..AuditLimits.MaxText] + "…" : text;

    [LoggerMessage(Level = LogLevel.Information, Message = "{Line}")]
    private static partial void LogLine(ILogger logger, string line);

    [LoggerMessage(Level = LogLevel.Error, Message = "The audit log cannot be written: {Reason}")]
    private static partial void LogFailure(ILogger logger, string reason);
}
