namespace Jackdaw.Etl.RabbitMq;

/// <summary>A connection string taken apart.</summary>
internal sealed record RabbitMqAddress
{
    public required string Host { get; init; }

    public required int Port { get; init; }

    /// <summary>TLS, the broker's certificate verified.</summary>
    public required bool IsSecure { get; init; }

    public required string User { get; init; }

    public required string Password { get; init; }

    public required string VirtualHost { get; init; }

    /// <summary>For messages: without user and password.</summary>
    public override string ToString() => $"RabbitMQ at {Host}:{Port}";
}
