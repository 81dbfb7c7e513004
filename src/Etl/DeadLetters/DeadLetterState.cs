namespace Jackdaw.Etl.DeadLetters;

/// <summary>What is to be thought of a dead letter.</summary>
public enum DeadLetterState
{
    /// <summary>It was not sent.</summary>
    Dead,

    /// <summary>It was retried, and its document had changed or gone since: what came after it was or will be sent in the
    /// ordinary way.</summary>
    Superseded,
}
