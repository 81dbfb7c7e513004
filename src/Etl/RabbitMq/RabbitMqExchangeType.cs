namespace Jackdaw.Etl.RabbitMq;

/// <summary>Of the exchanges that a task declares.</summary>
public enum RabbitMqExchangeType
{
    /// <summary>Every queue that is bound gets every message.</summary>
    Fanout,

    /// <summary>Queues get the messages whose routing key is that of their binding.</summary>
    Direct,

    /// <summary>Queues get the messages whose routing key matches the pattern of their binding.</summary>
    Topic,

    /// <summary>Queues get the messages whose headers match those of their binding.</summary>
    Headers,
}
