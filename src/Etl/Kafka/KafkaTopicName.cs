namespace Jackdaw.Etl.Kafka;

/// <summary>What Kafka accepts as the name of a topic.</summary>
internal static class KafkaTopicName
{
    private const int MaxLength = 249;

    /// <summary>Null for a good one, else the reason in words.</summary>
    public static string? Refusal(string name)
    {
        if (name.Length == 0)
            return "The name of a Kafka topic must not be empty.";
        if (name.Length > MaxLength)
            return $"The Kafka topic's name has {name.Length} characters, over Kafka's limit of {MaxLength}.";
        if (name is "." or "..")
            return $"A Kafka topic cannot be named '{name}'.";
        foreach (char c in name)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('.' or '_' or '-'))
                return $"The Kafka topic's name '{name}' contains '{c}'; allowed are ASCII letters, digits, '.', '_' and '-'.";
        }
        // Kafka's own, and those in which tasks keep their positions.
        if (name.StartsWith("__", StringComparison.Ordinal))
            return $"The Kafka topic '{name}' is Kafka's own.";
        return
            name.StartsWith(KafkaTaskNames.Prefix, StringComparison.Ordinal)
            && name.EndsWith(KafkaTaskNames.TopicSuffix, StringComparison.Ordinal)
            ? $"The Kafka topic '{name}' is one of those in which tasks keep their positions."
            : null;
    }
}
