namespace Jackdaw.Etl.Messages;

/// <summary>How a CloudEvent becomes a message of a broker. Names are those of the task's member <c>CloudEventsMode</c>.</summary>
public enum CloudEventsMode
{
    /// <summary>The body is the data; attributes are headers.</summary>
    Binary,

    /// <summary>The body is the whole event as JSON.</summary>
    Structured,
}
