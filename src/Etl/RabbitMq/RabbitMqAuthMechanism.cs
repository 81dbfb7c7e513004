namespace Jackdaw.Etl.RabbitMq;

/// <summary>How a broker is told who connects.</summary>
public enum RabbitMqAuthMechanism
{
    /// <summary>By the connection string's user and password.</summary>
    Plain,

    /// <summary>By the client's certificate: the broker's plugin <c>rabbitmq_auth_mechanism_ssl</c> takes the user from it.</summary>
    External,
}
