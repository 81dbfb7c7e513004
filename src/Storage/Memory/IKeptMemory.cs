namespace Jackdaw.Storage.Memory;

/// <summary>Memory that a pool keeps for its next use. Registered with <see cref="KeptMemory"/>, it is trimmed while nobody needs
/// it and shown by
/// owner. Every member is safe from any thread.</summary>
public interface IKeptMemory
{
    /// <summary>Gets what the pool is called in metrics. Several pools may have one owner.</summary>
    string Owner { get; }

    /// <summary>Gets the bytes that are kept and not in use.</summary>
    long KeptBytes { get; }

    /// <summary>Gets the most bytes that the pool keeps, over all kinds of what it keeps.</summary>
    long MaxKeptBytes { get; }

    /// <summary>Gives back what was not needed at any moment since the last call, and returns how many bytes that were.</summary>
    long Trim();
}
