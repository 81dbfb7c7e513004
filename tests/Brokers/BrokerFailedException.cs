namespace Jackdaw.Brokers;

/// <summary>A broker is not installed, did not start in time, or ended by itself; the message has what it said.</summary>
public sealed class BrokerFailedException(string message) : Exception(message);
