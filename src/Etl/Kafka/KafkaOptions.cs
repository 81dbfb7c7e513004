using System.Buffers;

namespace Jackdaw.Etl.Kafka;

/// <summary>Which options of the native client a person must not set, and why.</summary>
internal static class KafkaOptions
{
    private const string Promise = "the task sets it, for its promises depend on it.";
    private const string Danger = "it makes the server load or run something else.";

    private static readonly string[] s_fileEnds = [".location", ".file", ".keytab"];

    private static readonly string[] s_trust = [".ca.", ".crl.", ".truststore."];

    private static readonly Dictionary<string, string> s_refused = new(StringComparer.OrdinalIgnoreCase)
    {
        ["bootstrap.servers"] = "it is given as BootstrapServers.",
        ["metadata.broker.list"] = "it is given as BootstrapServers.",
        ["transactional.id"] = Promise,
        ["transaction.timeout.ms"] = Promise,
        ["enable.idempotence"] = Promise,
        ["enable.gapless.guarantee"] = Promise,
        ["acks"] = Promise,
        ["request.required.acks"] = Promise,
        ["max.in.flight"] = Promise,
        ["max.in.flight.requests.per.connection"] = Promise,
        ["retries"] = Promise,
        ["message.send.max.retries"] = Promise,
        ["message.timeout.ms"] = Promise,
        ["delivery.timeout.ms"] = Promise,
        ["request.timeout.ms"] = Promise,
        ["socket.timeout.ms"] = Promise,
        ["queuing.strategy"] = Promise,
        ["partitioner"] = Promise,
        ["delivery.report.only.error"] = Promise,
        ["queue.buffering.max.messages"] = Promise,
        ["queue.buffering.max.kbytes"] = Promise,
        ["group.id"] = Promise,
        ["group.instance.id"] = Promise,
        ["isolation.level"] = Promise,
        ["enable.auto.commit"] = Promise,
        ["enable.auto.offset.store"] = Promise,
        ["enable.partition.eof"] = Promise,
        ["auto.offset.reset"] = Promise,
        ["plugin.library.paths"] = Danger,
        ["ssl.engine.location"] = Danger,
        ["ssl.providers"] = Danger,
        ["sasl.kerberos.kinit.cmd"] = Danger,
        ["enable.random.seed"] = "it is the server's own.",
        ["internal.termination.signal"] = "it is the server's own.",
        ["debug"] = "its output could show secrets.",
        ["log_level"] = "the server shows what matters by itself.",
    };

    /// <summary>What the options of <see cref="IsInCommand"/> may hold: nothing that a shell obeys.</summary>
    public static readonly SearchValues<char> InCommand = SearchValues.Create(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@._-/"
    );

    /// <summary>True for options that the native client puts into the command that renews Kerberos tickets, which a shell runs.</summary>
    public static bool IsInCommand(string name) =>
        name.Trim().Equals("sasl.kerberos.keytab", StringComparison.OrdinalIgnoreCase)
        || name.Trim().Equals("sasl.kerberos.principal", StringComparison.OrdinalIgnoreCase)
        || name.Trim().Equals("sasl.kerberos.service.name", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// True for options that name a file with a key, or one whose contents the native client sends: a token, or the form of one. Files
    /// of authorities and of revoked certificates, which only say whom to trust, are none.
    /// </summary>
    public static bool NamesSecretFile(string name)
    {
        string option = name.Trim();
        bool isFile = s_fileEnds.Any(end => option.EndsWith(end, StringComparison.OrdinalIgnoreCase));
        return isFile && !s_trust.Any(part => option.Contains(part, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>Null for an option that may be set.</summary>
    public static string? Refusal(string name)
    {
        if (s_refused.TryGetValue(name.Trim(), out string? reason))
            return reason;
        // Those of the .NET client around the native one.
        if (name.StartsWith("dotnet.", StringComparison.OrdinalIgnoreCase))
            return Promise;
        return name.EndsWith("_cb", StringComparison.OrdinalIgnoreCase) ? "it is no text." : null;
    }
}
