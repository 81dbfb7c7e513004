namespace Jackdaw.Brokers;

/// <summary>How a broker is started; SIGTERM ends it in order.</summary>
/// <param name="Program">A path, or a name on the PATH.</param>
/// <param name="Arguments">Not quoted.</param>
/// <param name="Environment">In addition to this process's.</param>
internal sealed record BrokerCommand(string Program, IReadOnlyList<string> Arguments, IReadOnlyDictionary<string, string> Environment);
