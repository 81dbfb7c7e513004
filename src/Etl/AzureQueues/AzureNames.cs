namespace Jackdaw.Etl.AzureQueues;

/// <summary>Azure's rules for names of queues, which blob containers share.</summary>
internal static class AzureNames
{
    private const int MinLength = 3;
    private const int MaxLength = 63;
    private const int MaxAccountLength = 24;

    /// <summary>A target as a queue's name: in lower case. It may still be none.</summary>
    public static string Queue(string target) => target.ToLowerInvariant();

    /// <summary>Null when a queue or container may have the name, else the rule that it breaks, as the end of a sentence.</summary>
    public static string? WhyNot(string name)
    {
        if (name.Length is < MinLength or > MaxLength)
            return $"it has {name.Length} characters, and Azure allows {MinLength} to {MaxLength}.";
        foreach (char c in name)
        {
            if (!char.IsAsciiLetterLower(c) && !char.IsAsciiDigit(c) && c != '-')
                return $"Azure allows letters of a to z, digits and hyphens, not '{c}'.";
        }
        if (name[0] == '-' || name[^1] == '-')
            return "it must begin and end with a letter or a digit.";
        return name.Contains("--", StringComparison.Ordinal) ? "two hyphens must not stand together." : null;
    }

    public static bool IsAccount(string name) =>
        name.Length is >= MinLength and <= MaxAccountLength && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c));
}
