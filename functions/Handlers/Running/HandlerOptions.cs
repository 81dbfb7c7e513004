namespace Jackdaw.Functions.Handlers.Running;

/// <summary>How long a handler waits, and whom it tells.</summary>
public sealed record HandlerOptions
{
    /// <summary>The pause after the first fault of the infrastructure; doubles with each further one.</summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest pause.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What passes the pauses.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Told, before each pause, why the message waits, and for how long.</summary>
    public Action<Exception, TimeSpan>? Waits { get; init; }

    /// <summary>Told of each dead letter, once it is kept.</summary>
    public Action<Messages.DeadLetter>? Buried { get; init; }
}
