using System.Globalization;

namespace Jackdaw.Etl.Configuration;

/// <summary>How fast a task may send. The protocol's configuration has it as <c>MaxDocumentsPerSecond</c> and
/// <c>MaxMessagesPerSecond</c>.</summary>
/// <param name="DocumentsPerSecond">Documents of which something is sent; above zero, null: no limit.</param>
/// <param name="MessagesPerSecond">Messages likewise.</param>
public sealed record RateLimit(double? DocumentsPerSecond, double? MessagesPerSecond)
{
    internal const string DocumentsMember = "MaxDocumentsPerSecond";
    internal const string MessagesMember = "MaxMessagesPerSecond";

    private const double Most = 1_000_000;

    /// <summary>As fast as it goes.</summary>
    public static RateLimit None { get; } = new(null, null);

    /// <summary>Throws <see cref="InvalidConfigurationException"/> for what is no rate.</summary>
    public RateLimit Checked()
    {
        Check(DocumentsMember, DocumentsPerSecond);
        Check(MessagesMember, MessagesPerSecond);
        return this;
    }

    /// <summary>In words.</summary>
    public override string ToString()
    {
        string documents = DocumentsPerSecond is { } d ? string.Create(CultureInfo.InvariantCulture, $"{d:0.###} documents a second") : "";
        string messages = MessagesPerSecond is { } m ? string.Create(CultureInfo.InvariantCulture, $"{m:0.###} messages a second") : "";
        return documents.Length > 0 && messages.Length > 0 ? $"{documents} and {messages}" : documents + messages;
    }

    internal static RateLimit Read(JsonMembers members) =>
        new RateLimit(Optional(members, DocumentsMember), Optional(members, MessagesMember)).Checked();

    /// <summary>0 and absence both mean: no limit.</summary>
    private static double? Optional(JsonMembers members, string name) =>
        members.Number(name, 0) is var number && number == 0 ? null : number;

    private static void Check(string name, double? rate)
    {
        if (rate is not null and not (> 0 and <= Most))
            throw new InvalidConfigurationException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"'{name}' must be above 0 and at most {Most:N0}, or 0 for no limit; not {rate}."
                )
            );
    }
}
