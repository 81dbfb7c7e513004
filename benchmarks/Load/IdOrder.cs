namespace Jackdaw.Bench.Load;

/// <summary>In what order a benchmark writes ids.</summary>
internal enum IdOrder
{
    /// <summary>Drawn evenly from those that were loaded: every put replaces a document somewhere.</summary>
    Random,

    /// <summary>New ones, each after the one before.</summary>
    Ascending,
}
