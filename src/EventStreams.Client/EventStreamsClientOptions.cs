using System.Security.Cryptography.X509Certificates;
using Jackdaw.EventStreams.Client.Trust;

namespace Jackdaw.EventStreams.Client;

/// <summary>Where the server is, and how long and how much the client queues and repeats.</summary>
public sealed record EventStreamsClientOptions
{
    /// <summary>Timers of .NET cannot wait much longer.</summary>
    private static readonly TimeSpan LongestTime = TimeSpan.FromDays(24);

    /// <summary>The server's address, for example <c>http://localhost:8080</c>.</summary>
    public required Uri Url { get; init; }

    /// <summary>The name of the database.</summary>
    public required string Database { get; init; }

    /// <summary>The certificate that the client shows to the server; null: none.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>
    /// The one server that is trusted, whoever signed its certificate: the thumbprint of its certificate (SHA-1 or SHA-256, hexadecimal),
    /// or <c>pin:</c> and the base64 of the SHA-256 of its public key, which stays the same when a certificate is renewed with its key.
    /// Only with https. Null: <see cref="ServerAuthorities"/> decide.
    /// </summary>
    public string? ServerPin { get; init; }

    /// <summary>
    /// The root authorities that are trusted to sign the server's certificate, instead of those of this machine; the certificate must be
    /// valid and name the host of <see cref="Url"/>. Only with https, and without <see cref="ServerPin"/>. Null: those of this machine.
    /// </summary>
    public X509Certificate2Collection? ServerAuthorities { get; init; }

    /// <summary>Whether <see cref="EventStreamsClient.WaitUntilReadyAsync"/> creates the database when it does not exist.</summary>
    public bool CreatesDatabase { get; init; }

    /// <summary>
    /// How long after its start a call is repeated when the server does not answer. Time in the queue counts. Keep it below the
    /// <c>call-timeout</c> of a circuit breaker that guards the call.
    /// </summary>
    public TimeSpan RepeatFor { get; init; } = TimeSpan.FromSeconds(8);

    /// <summary>As <see cref="RepeatFor"/>, for saving, loading and deleting snapshots.</summary>
    public TimeSpan RepeatSnapshotsFor { get; init; } = TimeSpan.FromSeconds(16);

    /// <summary>
    /// How long the first attempt of a call waits for an answer before the call is repeated on another connection. Each further
    /// attempt waits twice as long as the one before.
    /// </summary>
    public TimeSpan AttemptTimeout { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>How long connecting may take.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Append requests that are under way at the same time; two of them never concern the same stream.</summary>
    public int MaxAppendRequests { get; init; } = 1;

    /// <summary>Events that are joined into one append request. A larger append is sent alone.</summary>
    public int MaxJoinedEvents { get; init; } = 4096;

    /// <summary>Bytes that are joined into one append request. A larger append is sent alone.</summary>
    public int MaxJoinedBytes { get; init; } = 4 << 20;

    /// <summary>Events that are queued or under way. Further appends wait for room.</summary>
    public int MaxQueuedEvents { get; init; } = 50_000;

    /// <summary>Bytes that are queued or under way. Further appends wait for room.</summary>
    public long MaxQueuedBytes { get; init; } = 64L << 20;

    /// <summary>Bytes of one event's payload: the server's <c>Limits.MaxEventSizeInMb</c>.</summary>
    public int MaxEventBytes { get; init; } = 16 << 20;

    /// <summary>Bytes of one append request as the server counts them: its <c>Limits.MaxAppendSizeInMb</c>.</summary>
    public long MaxAppendBytes { get; init; } = 64L << 20;

    /// <summary>Bytes of one snapshot: the server's <c>Limits.MaxSnapshotSizeInMb</c>.</summary>
    public long MaxSnapshotBytes { get; init; } = 256L << 20;

    /// <summary>Snapshots that are saved at the same time. Further saves wait, and their time counts.</summary>
    public int MaxSnapshotUploads { get; init; } = 16;

    /// <summary>The clock by which calls are repeated.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Verifies that every number and what is said of the server's certificate make sense.</summary>
    /// <exception cref="ArgumentException">Something does not; the message names it.</exception>
    internal void Validate()
    {
        ValidateTrust();
        RequireTime(RepeatFor, nameof(RepeatFor));
        RequireTime(RepeatSnapshotsFor, nameof(RepeatSnapshotsFor));
        RequireTime(AttemptTimeout, nameof(AttemptTimeout));
        RequireTime(ConnectTimeout, nameof(ConnectTimeout));
        Require(MaxAppendRequests, nameof(MaxAppendRequests));
        Require(MaxJoinedEvents, nameof(MaxJoinedEvents));
        Require(MaxJoinedBytes, nameof(MaxJoinedBytes));
        Require(MaxQueuedEvents, nameof(MaxQueuedEvents));
        Require(MaxQueuedBytes, nameof(MaxQueuedBytes));
        Require(MaxEventBytes, nameof(MaxEventBytes));
        Require(MaxAppendBytes, nameof(MaxAppendBytes));
        Require(MaxSnapshotBytes, nameof(MaxSnapshotBytes));
        Require(MaxSnapshotUploads, nameof(MaxSnapshotUploads));
    }

    /// <summary>How the server is told from others. Call <see cref="Validate"/> first.</summary>
    internal ServerTrust NewTrust() => new(ServerPin is null ? null : Client.Trust.ServerPin.Parse(ServerPin), ServerAuthorities);

    private void ValidateTrust()
    {
        if (ServerPin is null && ServerAuthorities is null)
            return;
        var name = ServerPin is null ? nameof(ServerAuthorities) : nameof(ServerPin);
        if (Url.Scheme != Uri.UriSchemeHttps)
            throw new ArgumentException($"{name} needs an address with https, not {Url}.", name);
        if (ServerPin is null)
        {
            if (ServerAuthorities!.Count == 0)
                throw new ArgumentException($"{name} holds no certificate.", name);
            return;
        }
        if (ServerAuthorities is not null)
            throw new ArgumentException($"{name} and {nameof(ServerAuthorities)} exclude each other: name one of them.", name);
        try
        {
            Client.Trust.ServerPin.Parse(ServerPin);
        }
        catch (FormatException e)
        {
            throw new ArgumentException($"{name} {e.Message}", name, e);
        }
    }

    private static void RequireTime(TimeSpan time, string name)
    {
        if (time <= TimeSpan.Zero || time > LongestTime)
            throw new ArgumentOutOfRangeException(name, time, $"{name} must be above zero and at most {LongestTime.TotalDays:0} days.");
    }

    private static void Require(long number, string name)
    {
        if (number < 1)
            throw new ArgumentOutOfRangeException(name, number, $"{name} must be at least 1.");
    }
}
