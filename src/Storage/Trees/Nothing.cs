namespace Jackdaw.Storage.Trees;

/// <summary>The value type of a <see cref="FixedSizeTree{TValue}"/> that is a set of keys: it takes no bytes in pages.</summary>
public readonly struct Nothing { }
