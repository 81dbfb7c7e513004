namespace Jackdaw.Etl.Configuration;

/// <summary>
/// What a sink is called on this server's own routes. The protocol knows no webhooks: there they have the broker type
/// <c>None</c>, here a name.
/// </summary>
internal static class SinkName
{
    public const string Member = "Sink";

    private const string Webhook = "Webhook";

    public static string Of(BrokerType type) => type == BrokerType.None ? Webhook : type.ToString();

    /// <summary>
    /// Where an object says <c>Sink</c>, puts in its place what the protocol calls it. Throws
    /// <see cref="InvalidConfigurationException"/> for an unknown one.
    /// </summary>
    /// <param name="members">Changed.</param>
    /// <param name="typeMember">What the protocol has besides, always <c>Queue</c> for a sink of this server; may be absent.</param>
    public static void Translate(JsonMembers members, string typeMember)
    {
        string? given = members.Text(Member);
        members.Object.Remove(Member);
        if (given is not { } name)
            return;
        var type =
            Enum.GetValues<BrokerType>()
                .Where(known => Of(known).Equals(name, StringComparison.OrdinalIgnoreCase))
                .Cast<BrokerType?>()
                .FirstOrDefault()
            ?? throw new InvalidConfigurationException(
                $"There is no sink '{name}'; there are {string.Join(", ", Enum.GetValues<BrokerType>().Select(Of))}."
            );
        members.Object["BrokerType"] = type.ToString();
        members.Object[typeMember] ??= "Queue";
    }
}
