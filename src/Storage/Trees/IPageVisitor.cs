namespace Jackdaw.Storage.Trees;

/// <summary>Is told of every page that a structure owns, and of everything wrong that its check finds.</summary>
internal interface IPageVisitor
{
    /// <summary>
    /// The structure owns these pages. False: do not look inside (the page lies outside the file, or another owner has claimed
    /// it; the visitor
    /// has noted that itself). This also ends the walk over a damaged tree that contains itself.
    /// </summary>
    bool Visit(long pageNumber, int runLength);

    /// <summary>What is visited from now on belongs to this structure: one embedded in that whose check is running, or that one
    /// again.</summary>
    void Enter(Structure structure) { }

    /// <summary>A rule is broken in or under this page.</summary>
    void Report(long pageNumber, string problem);
}
