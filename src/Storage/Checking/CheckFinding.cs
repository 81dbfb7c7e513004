namespace Jackdaw.Storage.Checking;

/// <summary>One thing that is wrong with an environment.</summary>
/// <param name="Structure">The name in the catalog; in parentheses what has none: "(catalog)", "(meta)", "(free space)".</param>
/// <param name="Page">The page number, or -1 where no page can be named.</param>
/// <param name="Problem">What is wrong, for a person.</param>
public sealed record CheckFinding(string Structure, long Page, string Problem)
{
    /// <summary>Bytes from the start of the data file; -1 where no page can be named.</summary>
    public long FileOffset => Page < 0 ? -1 : Page * Pages.PageLayout.PageSize;

    /// <summary>The finding as one line: where, and what is wrong.</summary>
    public override string ToString() =>
        Page < 0 ? $"{Structure}: {Problem}" : $"{Structure}: page {Page} (offset {FileOffset}): {Problem}";
}
