namespace Jackdaw.Indexing.Definitions;

/// <summary>Which index gets a turn first.</summary>
public enum IndexPriority
{
    /// <summary>After all others, but never starved.</summary>
    Low,

    /// <summary>The default.</summary>
    Normal,

    /// <summary>Before all others.</summary>
    High,
}
