namespace Jackdaw.Scripting;

/// <summary>What one call of a script may take. A refusal names the limit.</summary>
public sealed record ScriptLimits
{
    /// <summary>The limits as shipped.</summary>
    public static ScriptLimits Default { get; } = new();

    /// <summary>
    /// Processor time of one call, functions of the host included. The engine looks at the clock in loops and calls: it ends some
    /// milliseconds late, and a regular
    /// expression ends only at the engine's own bound on backtracking: 1.3 to 6.8 s measured.
    /// </summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>UTF-16 units of the text that a call may give back, or hand to a function of the host.</summary>
    public int MaxResultLength { get; init; } = 64 << 20;

    /// <summary>
    /// Bytes that the engine's heap may keep between two calls; above it, after a collection, the context is thrown away. One
    /// expression may allocate more than
    /// this within a call, up to 2 GB for a text.
    /// </summary>
    public long MaxHeapBytes { get; init; } = 256L << 20;

    /// <summary>UTF-16 units of a script's source. Fixed.</summary>
    public const int MaxSourceLength = 256 << 10;

    /// <summary>Bytes of stack for scripts, on every thread: deeper recursion is a RangeError in the script. Fixed for the
    /// process.</summary>
    public const int StackBytes = 1 << 20;

    /// <summary>Characters that <c>repeat</c>, <c>padStart</c> and <c>padEnd</c> may make at once. Fixed.</summary>
    public const int MaxRepeatedLength = 16 << 20;
}
