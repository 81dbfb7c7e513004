namespace Jackdaw.Simulation.Merging;

/// <summary>Somebody who works beside the callers while the database is open. What it does comes as steps of the session.</summary>
internal interface ISessionCompanion : IDisposable
{
    /// <summary>What chance draws from.</summary>
    IReadOnlyList<(string Name, Action Step)> Steps { get; }

    /// <summary>The database is about to close in order.</summary>
    void CloseInOrder();
}
