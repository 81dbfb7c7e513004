namespace Jackdaw.Documents;

/// <summary>Finds the name that a misspelled one was probably meant to be.</summary>
public static class NearestName
{
    /// <summary>Returns the candidate within two edits, for names of nine letters and more three, casing aside; null when there is
    /// none.</summary>
    public static string? Of(string name, IEnumerable<string> candidates)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(candidates);
        string? best = null;
        var bestDistance = Math.Clamp(name.Length / 3, 2, 3) + 1;
        foreach (var candidate in candidates)
        {
            var distance = Distance(name.ToUpperInvariant(), candidate.ToUpperInvariant());
            if (distance < bestDistance)
                (best, bestDistance) = (candidate, distance);
        }
        return best;
    }

    /// <summary>Levenshtein's distance: single-character insertions, deletions and replacements.</summary>
    private static int Distance(string a, string b)
    {
        var previous = new int[b.Length + 1];
        var current = new int[b.Length + 1];
        for (var j = 0; j <= b.Length; j++)
            previous[j] = j;
        for (var i = 1; i <= a.Length; i++)
        {
            current[0] = i;
            for (var j = 1; j <= b.Length; j++)
            {
                var replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
                current[j] = Math.Min(replaced, Math.Min(previous[j], current[j - 1]) + 1);
            }
            (previous, current) = (current, previous);
        }
        return previous[b.Length];
    }
}
