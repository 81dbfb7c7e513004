using System.Threading.Channels;
using Jackdaw.Server.Alerts;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Security.Audit;

/// <summary>
/// Tells who administered the server, and who was refused: one JSON object a line, to the log (category Jackdaw.Audit) and, where a folder
/// is configured, to a file a day. A line is written after its request was answered, in the order of the answers. Each administrative act
/// takes a place before it begins, and is refused when there is none, so none goes untold. Refusals are bounded, so that nobody fills the
/// disk with them, and take no place of an act's. Lines that the file does not take wait for it. Thread-safe.
/// </summary>
internal sealed partial class AuditLog : IAsyncDisposable
{
    private const string AlertKey = "audit";

    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);

    /// <summary>Between two attempts to write a file that could not be written.</summary>
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly string? _folder;
    private readonly TimeProvider _clock;
    private readonly ServerAlerts? _alerts;
    private readonly ITimer _windows;

    /// <summary>Bounded by the places.</summary>
    private readonly Channel<AuditLine> _waiting = Channel.CreateUnbounded<AuditLine>(new UnboundedChannelOptions { SingleReader = true });
    private readonly Task _writing;
    private readonly AuditBudget _known = new(AuditLimits.MaxRefusalsPerMinute, "Refusals of known clients, and what found no place.");
    private readonly AuditBudget _unknown = new(AuditLimits.MaxUnknownRefusalsPerMinute, "Refusals of unknown clients.");
    private volatile ILogger? _logger;
    private long _windowEnds;
    private int _acts;
    private int _others;

    /// <param name="folder">Where the files are made; null: there are none.</param>
    /// <param name="alerts">Told when a file cannot be written; null: nobody is.</param>
    /// <param name="clock">Gives the time of a line, and measures the bound of refusals.</param>
    public AuditLog(string? folder, ServerAlerts? alerts = null, TimeProvider? clock = null)
    {
        _folder = folder;
        _alerts = alerts;
        _clock = clock ?? TimeProvider.System;
        _windowEnds = (_clock.GetUtcNow() + s_window).UtcTicks;
        // Tells how many were left out although no further line comes.
        _windows = _clock.CreateTimer(_ => TellOmitted(), null, s_window, s_window);
        _writing = Task.Run(WriteAllAsync);
    }

    /// <summary>Writes each line to a log, too.</summary>
    /// <param name="logger">Of the category Jackdaw.Audit.</param>
    public void LogTo(ILogger logger) => _logger = logger;

    /// <summary>Takes a place for an administrative act, before it begins. Its line takes it over: <see cref="Add"/>.</summary>
    /// <exception cref="AuditFullException">All are taken by acts whose lines could not be written yet.</exception>
    public void TakePlace()
    {
        if (Interlocked.Increment(ref _acts) <= AuditLimits.MaxWaitingActs)
            return;
        Interlocked.Decrement(ref _acts);
        throw new AuditFullException();
    }

    /// <summary>Writes a line soon. Costs nothing but the place in the queue.</summary>
    /// <param name="entry">The line.</param>
    /// <param name="hasPlace">Whether <see cref="TakePlace"/> was called for it. An act without a place is told all the same.</param>
    public void Add(AuditEntry entry, bool hasPlace = false)
    {
        var now = _clock.GetUtcNow();
        var ends = Interlocked.Read(ref _windowEnds);
        if (now.UtcTicks >= ends && Interlocked.CompareExchange(ref _windowEnds, (now + s_window).UtcTicks, ends) == ends)
            BeginWindow();
        if (entry.Kind == AuditKind.Act)
        {
            if (!hasPlace)
                Interlocked.Increment(ref _acts);
            if (!_waiting.Writer.TryWrite(AuditLine.Of(now, entry, isAct: true)))
                Interlocked.Decrement(ref _acts);
            return;
        }
        if (hasPlace)
            Interlocked.Decrement(ref _acts);
        var budget = entry is { Kind: AuditKind.Refusal, Client: null } ? _unknown : _known;
        if ((entry.Kind == AuditKind.Refusal && !budget.TryTake()) || !TryWait(now, entry))
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
        if (omitted > 0 && !TryWait(_clock.GetUtcNow(), entry))
            budget.Omit(omitted);
    }

    /// <summary>False when all places of lines that are no acts' are taken, or the log has ended.</summary>
    private bool TryWait(DateTimeOffset time, AuditEntry entry)
    {
        if (
            Interlocked.Increment(ref _others) <= AuditLimits.MaxWaiting
            && _waiting.Writer.TryWrite(AuditLine.Of(time, entry, isAct: false))
        )
            return true;
        Interlocked.Decrement(ref _others);
        return false;
    }

    private async Task WriteAllAsync()
    {
        var unwritten = new List<AuditLine>();
        var isMore = true;
        while (isMore)
        {
            isMore = await WaitAsync(isLate: unwritten.Count > 0);
            while (_waiting.Reader.TryRead(out var line))
            {
                // At once, whatever becomes of the file.
                if (_logger is { } logger)
                    LogLine(logger, line.Text);
                unwritten.Add(line);
            }
            if (unwritten.Count > 0 && TryAppend(unwritten))
                unwritten.Clear();
        }
        if (unwritten.Count > 0 && _logger is { } log)
            LogLost(log, unwritten.Count);
    }

    /// <summary>Until there is a line, or the file is to be tried again; false when no line comes any more.</summary>
    private async Task<bool> WaitAsync(bool isLate)
    {
        if (!isLate)
            return await _waiting.Reader.WaitToReadAsync();
        using var early = new CancellationTokenSource();
        var next = _waiting.Reader.WaitToReadAsync(early.Token).AsTask();
        if (await Task.WhenAny(next, Task.Delay(s_retry, _clock, early.Token)) == next)
        {
            await early.CancelAsync();
            return await next;
        }
        await early.CancelAsync();
        return true;
    }

    /// <summary>Writes lines to their files, where there are any; their places are free then. False when a file cannot be
    /// written.</summary>
    private bool TryAppend(List<AuditLine> lines)
    {
        try
        {
            if (_folder is not null)
                AuditFile.Append(_folder, lines);
            var acts = lines.Count(line => line.IsAct);
            Interlocked.Add(ref _acts, -acts);
            Interlocked.Add(ref _others, acts - lines.Count);
            _alerts?.Clear(AlertKey);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            if (_logger is { } logger)
                LogFailure(logger, e.Message);
            _alerts?.Raise(
                AlertKey,
                Alert.Error,
                "The audit log cannot be written",
                $"{lines.Count:N0} lines wait: {e.Message}",
                "Make the folder of Security.AuditLog.FolderPath writable for the server, and free space on its disk. Lines go to the "
                    + $"server's log meanwhile, and to the file when it can be written. When {AuditLimits.MaxWaitingActs:N0} "
                    + "administrative acts wait, further ones are refused."
            );
            return false;
        }
    }

    [LoggerMessage(Level = LogLevel.Information, Message = "{Line}")]
    private static partial void LogLine(ILogger logger, string line);

    [LoggerMessage(Level = LogLevel.Error, Message = "The audit log cannot be written: {Reason}")]
    private static partial void LogFailure(ILogger logger, string reason);

    [LoggerMessage(Level = LogLevel.Error, Message = "{Count} lines of the audit log are in this log only.")]
    private static partial void LogLost(ILogger logger, int count);
}
