namespace Jackdaw.FunctionHost;

/// <summary>What a host could do wrong. Tests plant it to see whether they would find it.</summary>
public enum HostMistake
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A message is removed from its queue before the handler has answered.</summary>
    AcknowledgesEarly,

    /// <summary>A message whose function failed is removed as if it had succeeded.</summary>
    ForgetsFailures,
}
